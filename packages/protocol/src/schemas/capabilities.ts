import type { Static } from 'typebox'
import type { Jti } from '../ids.ts'
import { list, object, text, time, uuid } from './shape.ts'

const jti = uuid<Jti>('The token’s jti claim.')
const expiresAt = time('The token’s exp: a whole second, at most 24 hours after it was minted.')

/** Whoever listens in may use a token too, so that plain HTTP is for peers on the same machine alone. */
const PEER_PATTERN =
  '^(?:https://(?:[a-z0-9._-]+|\\[[0-9a-f:.]+\\])|http://(?:localhost|127\\.[0-9.]+|\\[::1\\]))(?::[1-9][0-9]{0,4})?$'

const peer = text(
  'Origin of the peer that the token is made out to: https, or http on loopback, in its canonical form.',
  {
    maxLength: 300,
    pattern: PEER_PATTERN,
  },
)

export const MintCapabilityRequest = object('MintCapabilityRequest', {
  peer,
  expires_at: time('When the token shall end, at most 24 hours from now. Fractions of a second are cut off.'),
})
export type MintCapabilityRequest = Static<typeof MintCapabilityRequest>

export const MintCapabilityResponse = object('MintCapabilityResponse', {
  token: text('The token, for the peer. It is given this once and not kept.'),
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
