import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'

/** A manifest envelope as a row stores it: verbatim, with its members in their original order. */
export function envelopeText(envelope: ManifestEnvelope): string {
  return JSON.stringify(envelope)
}

export function envelopeOf(text: string): ManifestEnvelope {
  return JSON.parse(text)
}
