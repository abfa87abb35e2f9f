/** As much of a name as anybody's file system makes of it; the sealed header has room for 64 KiB in all. */
const MAX_CHARACTERS = 2_000
/** Kept of a name that is longer, for its ending. */
const TAIL_CHARACTERS = 200

/** The name that is sealed: with the folder's path before it, and cut in the middle when it is absurdly long. */
export function sealedNameOf({ folder, name }: { readonly folder: string; readonly name: string }): string {
  const whole = folder === '' ? name : `${folder}/${name}`
  if (whole.length <= MAX_CHARACTERS) return whole
  return `${whole.slice(0, MAX_CHARACTERS - TAIL_CHARACTERS)}…${whole.slice(-TAIL_CHARACTERS)}`
}
