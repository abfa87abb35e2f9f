import { randomBytes } from 'node:crypto'
import { checkLocation } from '../../ports/objects.ts'

const keyForm = /^([0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f-]{36})\/[0-9a-f]{16}$/

/** Throws `RangeError` for a text that is no key of the server. */
export function checkKey(key: string): void {
  if (!keyForm.test(key)) throw new RangeError('not a key of this store')
}

/** The location whose part is at `key`; undefined if it is no key of the server. */
export function locationOf(key: string): string | undefined {
  return keyForm.exec(key)?.[1]
}

export function newKeyOf(location: string): string {
  checkLocation(location)
  return `${location}/${randomBytes(8).toString('hex')}`
}
