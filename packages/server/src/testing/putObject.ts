import type { Staging } from '../ports/staging.ts'

const LOCATION = `ab/${'ab'.repeat(32)}.6f0e8f0e-0000-4000-8000-000000000000`

/** Bytes of which no row knows. */
export async function putObject({ staging }: { readonly staging: Staging }): Promise<void> {
  const body = (async function* () {
    yield Buffer.from('bytes')
  })()
  const target = { location: LOCATION, key: staging.newKey(LOCATION), offset: 0 }
  await staging.write(target, { body, signal: new AbortController().signal, onBytes: () => undefined })
}
