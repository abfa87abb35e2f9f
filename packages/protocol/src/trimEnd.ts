/**
 * The text without any of `characters` (UTF-16 units) at its end. Takes the length of the text; a regular expression
 * such as `/\/+$/` takes its square, because it tries again from each place of a run that is not at the end.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
