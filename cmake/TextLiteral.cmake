# cmake -DTEXT=FILE -DLITERAL=FILE -P TextLiteral.cmake: a file's text as a string literal of
# C++, to be included where a value stands.
file(READ "${TEXT}" text)
file(WRITE "${LITERAL}" "R\"vintage_text(${text})vintage_text\"\n")
