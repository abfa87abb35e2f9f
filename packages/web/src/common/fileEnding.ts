/** A longer ending is no known file type. */
const MAX_ENDING_CHARACTERS = 5

/** The ending of a stranger's file name, in capitals, to show in place of a thumbnail. Undefined when there is none that is short and plain. */
export function fileEnding(name = ''): string | undefined {
  const ending = name.slice(-MAX_ENDING_CHARACTERS - 1)
  return /\.([\p{L}\p{N}]+)$/u.exec(ending)?.[1]?.toUpperCase()
}
