/** Ids and hashes for rows that are written without the server. */
import { createHash, randomUUID } from 'node:crypto'
import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'

export function newId<Id>(parse: (text: string) => Id | undefined): Id {
  return parsed(parse, randomUUID())
}

export function parsed<Id>(parse: (text: string) => Id | undefined, text: string): Id {
  const id = parse(text)
  if (id === undefined) throw new Error(`not an id: ${text}`)
  return id
}

export function sha256(bytes: Uint8Array): Sha256Hex {
  return parsed(parseSha256Hex, createHash('sha256').update(bytes).digest('hex'))
}
