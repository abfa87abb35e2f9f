/** Guests are shown what is free in hundredths, whatever sizes they declare. */
export const eleventhTables = (): readonly string[] => ['alter table uploads drop column shown_size']
