/** Files that this program has written, as a disk, a power cut or a person has left them. */
import { isObject } from '@blindkeep/protocol/json'
import { LocalError } from '../ground/exits.ts'

/** What a file is for, for the person who has to do without it. */
export interface Reading<Value> {
  readonly is: (json: unknown) => json is Value
  /** Follows "it says". */
  readonly says: string
  /** Follows "or remove it". */
  readonly without: string
}

/** The file is there and is not what was written. Nothing may count as done because of it. */
export class Damaged extends LocalError {
  constructor(path: string, { says, without }: Pick<Reading<unknown>, 'says' | 'without'>, cause?: unknown) {
    super(`${path} is damaged: it says ${says}. Restore it from a backup, or remove it ${without}.`, { cause })
  }
}

/** Throws `Damaged`. */
export function parsed<Value>(text: string, path: string, reading: Reading<Value>): Value {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new Damaged(path, reading, cause)
  }
  if (reading.is(json)) return json
  throw new Damaged(path, reading)
}

export function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof Damaged)) throw error
}

/** Whether all these members are texts; by default all that there are. */
export function hasTexts(json: unknown, members?: readonly string[]): json is Readonly<Record<string, string>> {
  return isObject(json) && (members ?? Object.keys(json)).every((member) => typeof json[member] === 'string')
}
