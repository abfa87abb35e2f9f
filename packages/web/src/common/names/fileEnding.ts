/** A longer ending is no known file type. */
const MAX_ENDING_CHARACTERS = 5

/** A stranger's file ending, in capitals, in place of a thumbnail. Undefined unless it is short and plain. */
export function fileEnding(name = ''): string | undefined {
  const ending = name.slice(-MAX_ENDING_CHARACTERS - 1)
  return /\.([\p{L}\p{N}]+)$/u.exec(ending)?.[1]?.toUpperCase()
}
