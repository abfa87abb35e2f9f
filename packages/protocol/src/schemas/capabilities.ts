import type { Jti } from '../ids.ts'
import { LOOPBACK_HOST } from '../loopback.ts'
import type { Static } from '../static.ts'
import { list, object, plainText, text, time, uuid } from './shape.ts'

const jti = uuid<Jti>('The token’s jti claim.')
const expiresAt = time('The token’s exp: a whole second, at most 24 hours after the token was minted.')

/** An eavesdropper could use a token, so plain HTTP is allowed only for peers on the same machine. */
const PEER_PATTERN = `^(?:https://(?:[a-z0-9._-]+|\\[[0-9a-f:.]+\\])|http://(?:${LOOPBACK_HOST}))(?::[1-9][0-9]{0,4})?$`

const peer = text('Origin of the peer that may use the token: https, or http on loopback, in canonical form.', {
  maxLength: 300,
  pattern: PEER_PATTERN,
})

export const MintCapabilityRequest = object('MintCapabilityRequest', {
  peer,
  expires_at: time('When the token expires, at most 24 hours from now. The server cuts off fractions of a second.'),
})
export type MintCapabilityRequest = Static<typeof MintCapabilityRequest>

export const MintCapabilityResponse = object('MintCapabilityResponse', {
  token: plainText('The token for the peer. The server shows it once and does not keep it.'),
  jti,
  expires_at: expiresAt,
})
export type MintCapabilityResponse = Static<typeof MintCapabilityResponse>

export const CapabilityResponse = object('CapabilityResponse', { jti, peer, expires_at: expiresAt })
export type CapabilityResponse = Static<typeof CapabilityResponse>

export const CapabilitiesResponse = object('CapabilitiesResponse', {
  capabilities: list(CapabilityResponse, 'The album’s live tokens, oldest first.'),
})
export type CapabilitiesResponse = Static<typeof CapabilitiesResponse>
