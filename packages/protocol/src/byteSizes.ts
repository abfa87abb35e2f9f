/** Sizes for people: reading and printing. */

/** Each is the next power of 1000 or 1024. */
const PREFIXES = 'KMGTP'
/** Lower case k: the kilo of 1000. */
const SHOWN = 'kMGTP'
const FORM = /^(\d{1,16})(?: ?([KMGTP]?)(i?)B)?$/i

/** The forms of a size, for messages and help. */
export const SIZE_FORMS = 'bytes as in 1048576, 10MiB (of 1024) or 5GB (of 1000)'

/** Bytes; undefined for a text that is not a size, or for more than a number can hold exactly. */
export function parseSize(text: string): number | undefined {
  const [, digits, prefix = '', binary = ''] = FORM.exec(text) ?? []
  const power = prefix === '' ? 0 : PREFIXES.indexOf(prefix.toUpperCase()) + 1
  if (digits === undefined || (power === 0 && binary !== '')) return undefined
  const bytes = BigInt(digits) * BigInt(binary === '' ? 1000 : 1024) ** BigInt(power)
  return bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined
}

/** `1.5 GB`, in powers of 1000, as on disks. Rounded down, so that it never looks like a reached limit. */
export function sizeText(bytes: number): string {
  let power = 0
  while (power < PREFIXES.length && bytes >= 1000 ** (power + 1)) power += 1
  const tenths = Math.floor((bytes / 1000 ** power) * 10)
  return power === 0 ? `${bytes} B` : `${tenths / 10} ${SHOWN[power - 1]}B`
}
