import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'

/** A manifest envelope as it rests in a row: verbatim, its members in the order in which they came. */
export function envelopeText(envelope: ManifestEnvelope): string {
  return JSON.stringify(envelope)
}

export function envelopeOf(text: string): ManifestEnvelope {
  return JSON.parse(text)
}
