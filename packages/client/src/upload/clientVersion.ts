import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'

/** `client_version` in manifests: name and release of this package. */
export const CLIENT_VERSION = 'blindkeep-client 0.1.0'

/** The newest protocol version that this code was written for, a date. */
const NEWEST_KNOWN = '2026-11-01'

/**
 * The protocol version of a manifest: the newest one that both sides know. A server that no longer accepts this client says so when it refuses the
 * write (specification, Versioning, 3).
 */
export function protocolVersionFor({
  protocol_version: window,
}: Pick<ServerInfoResponse, 'protocol_version'>): ProtocolVersion {
  const known = parseProtocolVersion(NEWEST_KNOWN)
  if (known === undefined) throw new Error('the newest version is not a date')
  return window.max < known ? window.max : known
}
