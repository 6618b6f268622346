# cmake -DTEXT=FILE -DLITERAL=FILE -P TextLiteral.cmake: writes a file's text as a string literal of
# C++, to be included as an expression.
file(READ "${TEXT}" text)
file(WRITE "${LITERAL}" "R\"vintage_text(${text})vintage_text\"\n")
