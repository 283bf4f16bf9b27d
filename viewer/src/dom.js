// Elements without innerHTML: every text goes in as text.
export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name === 'style') Object.assign(element.style, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Drawn signs, 24 by 24, in the colour of the text.
const paths = {
  play: 'M8 5v14l11-7z', pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M7 6h2v12H7zM19 6v12l-9-6z', forward: 'M15 6h2v12h-2zM5 6v12l9-6z',
  moon: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 2h2v4h-2zM11 18h2v4h-2zM2 11h4v2H2zM18 11h4v2h-4zM4.2 5.6 5.6 4.2l2.8 2.8L7 8.400zM15.600 17l1.400-1.400 2.800 2.800-1.400 1.400zM4.200 18.400 7 15.600 8.400 17l-2.800 2.800zM15.600 7l2.800-2.800 1.400 1.400L17 8.400z',
  close: 'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  good: 'M9.500 16.200 5.300 12l-1.400 1.400 5.600 5.600L20.500 8l-1.400-1.400z',
  warning: 'M12 3 1.500 21h21zm1 14h-2v2h2zm0-7h-2v5h2z',
  note: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm1 13h-2v-5h2zm0-7h-2V7h2z',
};

export function sign(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

// Hands a file to the user.
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = make('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A name that any file system takes.
export const fileName = (text) => text.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 60) || 'plot';

export const clip = (text, length = 60) => {
  const letters = Array.from(text);
  return letters.length > length ? letters.slice(0, length - 1).join('') + '…' : text;
};
