import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'

/** `client_version` of the manifests that this code writes: name and release of its package. */
export const CLIENT_VERSION = 'blindkeep-client 0.1.0'

/** The newest protocol that this code was written against, a date. */
const NEWEST_KNOWN = '2026-11-01'

/**
 * The version that a manifest is written against: the newest that both sides know. A server that has moved on past us says so when it
 * refuses the write (specification, Versioning, 3).
 */
export function protocolVersionFor({
  protocol_version: window,
}: Pick<ServerInfoResponse, 'protocol_version'>): ProtocolVersion {
  const known = parseProtocolVersion(NEWEST_KNOWN)
  if (known === undefined) throw new Error('the newest version is a date')
  return window.max < known ? window.max : known
}
