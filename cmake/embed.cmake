# Turns a file into a C array: cmake -D INPUT=... -D OUTPUT=... -D NAME=... -P embed.cmake
file(READ ${INPUT} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[^x]*x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from ${INPUT} by cmake/embed.cmake. */
extern const unsigned char ${NAME}[];
extern const unsigned long ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}0};
const unsigned long ${NAME}_size = ${size};
")
