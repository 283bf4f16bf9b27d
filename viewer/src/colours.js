// Colours of bodies and curves, for light and dark.
export const bodyColours = ['#4c78a8', '#d98a3d', '#5a9e6f', '#b5626e', '#7d6fb3', '#4a9aa5', '#a98467', '#8a93a6'];

export const curves = {
  light: ['#2563c9', '#d1622b', '#2e8b57', '#b03a6b', '#6d54b5', '#0e8a96', '#8a6d3b', '#5b6472', '#c2410c', '#1d4e89', '#7c9a1c', '#a21caf'],
  dark: ['#7fb0ff', '#ffab73', '#74d3a0', '#f28bb4', '#b9a3ff', '#5fd3de', '#d9bd85', '#aab4c5', '#ff9466', '#9cc4f5', '#c5df6a', '#e292f5'],
};

export const isDark = () => document.documentElement.dataset.theme === 'dark';
export const curve = (i) => (isDark() ? curves.dark : curves.light)[i % curves.light.length];
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
