import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'
import { SendError } from '../send/sendError.ts'

/** `client_version` in manifests: name and release of this package. */
export const CLIENT_VERSION = 'blindkeep-client 0.1.0'

/** The protocol version of this code. Another one may ask for other fields, so no other one is signed. */
const SPOKEN = '2026-11-01'

/** The protocol version of a manifest. Throws `SendError` `version_unknown` when the server refuses its writes. */
export function protocolVersionFor({
  protocol_version: window,
}: Pick<ServerInfoResponse, 'protocol_version'>): ProtocolVersion {
  const spoken = parseProtocolVersion(SPOKEN)
  if (spoken === undefined) throw new Error('the version is not a date')
  if (spoken < window.min || spoken > window.max) throw new SendError('version_unknown')
  return spoken
}
