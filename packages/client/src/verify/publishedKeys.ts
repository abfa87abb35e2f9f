import { HYBRID_ALGORITHM } from '@blindkeep/protocol/keys'
import { AttestationKeysResponse, KeyChangeResponse } from '@blindkeep/protocol/schemas/discovery'
import { list, object } from '@blindkeep/protocol/schemas/shape'
import { Type } from 'typebox'
import { readAnswer } from '../http/answer.ts'
import { verifiedEras } from './keyChanges.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { pinKeys } from './pins.ts'

/**
 * What a checker of receipts needs besides them, in the server's own form: an AttestationKeysResponse, and a
 * MovesResponse if the server publishes one.
 */
export function publishedKeys({ serverId, keys, keyChanges }: PinnedKeys) {
  return {
    server_id: serverId,
    keys: keys.map(({ keyId, public: bytes, activeFrom, activeTo }) => ({
      key_id: keyId,
      algorithm: HYBRID_ALGORITHM,
      public: bytes,
      active_from: activeFrom,
      ...(activeTo === undefined ? {} : { active_to: activeTo }),
    })),
    ...keyChanges,
  }
}

/**
 * Reads what `publishedKeys` made, or an AttestationKeysResponse alone. Who gave it has to be trusted. Throws
 * `RangeError` for another form, and `AuditError` and `ListsMisfit` for keys and statements that no server publishes.
 */
export async function parsePublishedKeys(json: unknown): Promise<PinnedKeys> {
  const { value, fault } = readAnswer(PublishedKeys, json)
  if (fault !== undefined) throw new RangeError(`These are not the published keys of a server: ${fault}.`)
  const { moves, rotations, ...published } = value
  const pins = pinKeys(published, published.server_id)
  if (moves === undefined || rotations === undefined) return pins
  const known = { ...pins, keyChanges: { moves, rotations } }
  await verifiedEras(known, pins)
  return known
}

const PublishedKeys = object('PublishedKeys', {
  ...AttestationKeysResponse.properties,
  moves: Type.Optional(list(KeyChangeResponse, 'The moves.')),
  rotations: Type.Optional(list(KeyChangeResponse, 'All other changes of the key.')),
})
