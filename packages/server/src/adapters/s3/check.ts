import { randomBytes } from 'node:crypto'
import type { S3Address } from './address.ts'
import { type Client, openClient } from './client.ts'
import { type CredentialSources, readCredentials } from './credentials.ts'
import type { Finding, Found } from './finding.ts'
import { listKeys, removeKey } from './keys.ts'
import { abortMultipartUpload, listMultipartUploads } from './multipart.ts'
import { PROBES } from './probes.ts'

export interface CheckOptions {
  readonly address: S3Address
  readonly credentials: CredentialSources
  readonly onFinding: (finding: Finding) => void
}

/** Probes a store as the server relies on it, and removes what it put there. Throws only without credentials. */
export async function checkStore({ address, credentials, onFinding }: CheckOptions): Promise<readonly Finding[]> {
  const given = await readCredentials(credentials)
  const client = await openClient({ address, credentials: given })
  const present = await client.credentials()
  const wrong = { ...present, secretAccessKey: randomBytes(20).toString('hex') }
  const stranger = await openClient({ address, credentials: wrong })
  const at = `${address.prefix}blindkeep-check-${randomBytes(6).toString('hex')}/`
  const findings: Finding[] = []
  const note = (finding: Finding) => {
    findings.push(finding)
    onFinding(finding)
  }
  try {
    for (const { probe, run } of PROBES) {
      const found = await run({ client, stranger, at: `${at}${probe.replaceAll(/\W/g, '-')}/` }).catch(failed)
      note({ probe, ...found })
      // Without answers every other probe would only wait.
      if (probe === 'answers' && found.outcome === 'wrong') return findings
    }
    note({ probe: 'leaves nothing', ...(await cleanUp(client, at).catch(failed)) })
    return findings
  } finally {
    client.close()
    stranger.close()
  }
}

function failed(error: unknown): Found {
  if (error instanceof Error) return { outcome: 'wrong', said: `${error.message}.` }
  throw error
}

async function cleanUp(client: Client, at: string): Promise<Found> {
  for await (const upload of listMultipartUploads(client, at)) await abortMultipartUpload(client, upload)
  for await (const { key } of listKeys(client, at)) await removeKey(client, key)
  for await (const { key } of listKeys(client, at)) return { outcome: 'wrong', said: `${key} is still listed.` }
  return { outcome: 'good', said: 'Everything that this check put there is removed.' }
}
