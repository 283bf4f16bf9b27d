/* Sentences on a terminal of 80 columns. */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

/* Prints a text with every line indented, broken at blanks so that no line exceeds 78 columns. */
void cli_print_wrapped(const char *indent, const char *text);

#endif
