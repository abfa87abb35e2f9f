/** An honest server is not accused while another client changes the file, whichever request the change comes before. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { AssetId } from '@blindkeep/protocol/ids'
import { pictureOf } from '../../../../testing/maliciousAssets.ts'
import { anotherClient, quickEnvironment } from '../../../../testing/people.ts'
import type { Owner } from '../owner.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { createVerificationWorld } from '../testing/verificationWorld.ts'
import type { SignedOriginal } from './population.ts'

const { keeper, keep, proxy } = await createVerificationWorld()
const { owner, device } = keeper
const content = new Uint8Array(randomBytes(100))

type Change = (assetId: AssetId) => Promise<unknown>
/** One after the other, each before another request. */
type Changes = readonly Change[]

const rename =
  (name: string): Change =>
  (assetId) =>
    owner.renameAsset(assetId, { name, device })
const remove: Change = (assetId) => owner.deleteAsset(assetId)
const restore: Change = (assetId) => owner.restore(assetId)
const later: Change = async () => undefined

const CHANGES: Readonly<Record<string, Changes>> = {
  'gets another name': [rename('another')],
  'gets two other names': [rename('another'), later, later, rename('a third')],
  'gets a thumbnail': [
    async (assetId) =>
      await owner.addThumbnail(pictureOf(await owner.asset(assetId)), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)),
  ],
  'is deleted and restored': [remove, restore],
}

const CHECKS: Readonly<Record<string, (client: Owner, assetId: AssetId) => Promise<unknown>>> = {
  'have receipts': (client, assetId) => client.assetReceipts(assetId),
  'be held': async (client, assetId) => {
    const [answer] = (await client.verifyHeld({ assetIds: [assetId] })).answers
    assert.ok(answer?.held, JSON.stringify(answer))
  },
  'be destroyed here': async (client, assetId) => {
    const answer = await client.verifyBeforeDestroying({ assetId, source: sourceOfBytes(content) })
    assert.ok(answer.safe, JSON.stringify(answer))
  },
  'be audited': async (client, assetId) => {
    const audit = await client.openAudit()
    const answer = await audit.checkListed(await client.asset(assetId))
    assert.equal(answer.is, 'checked', JSON.stringify(answer))
  },
  'be sampled': async (client, assetId) => {
    const originals: SignedOriginal[] = []
    // Changes while it is asked whether the file is held: see "be held".
    await owner.verifyHeld({ assetIds: [assetId], onSigned: (original) => originals.push(original) })
    await client.asset(assetId)
    const { samples } = await client.sampleSegments({ originals, samples: 1 })
    assert.deepEqual(
      samples.map(({ result }) => result.is),
      ['good'],
      JSON.stringify(samples),
    )
  },
}

async function assertFound(changes: Changes, check: (client: Owner, assetId: AssetId) => Promise<unknown>) {
  let wasChanged = true
  let { assetId } = await keep(content)
  for (let before = 1; wasChanged; before++) {
    // What is restored is as it was; a name or a thumbnail leaves a history.
    if (before > 1 && changes[0] !== remove) ({ assetId } = await keep(content))
    // Counted once its facts have been read.
    let requests = 0
    const fetch: typeof globalThis.fetch = async (...request) => {
      if (requests > 0) await changes[requests - before]?.(assetId)
      if (requests > 0 || String(request[0]).endsWith(`/v1/assets/${assetId}`)) requests += 1
      return quickEnvironment.fetch(...request)
    }
    await check(anotherClient(proxy.url, owner, { ...quickEnvironment, fetch }), assetId)
    wasChanged = requests > before
  }
}

for (const [change, changes] of Object.entries(CHANGES))
  describe(`a file that ${change} meanwhile`, () => {
    for (const [what, check] of Object.entries(CHECKS)) it(`is found to ${what}`, () => assertFound(changes, check))
  })

describe('a file that gets another name, and is deleted and restored when it is asked about again', () => {
  it('is not found to be without receipts', () =>
    assertFound([rename('another'), later, later, remove, restore], CHECKS['be audited'] ?? assert.fail()))
})

type Stoppable = (client: Owner, assetId: AssetId, signal: AbortSignal) => Promise<unknown>

const STOPPABLE: Readonly<Record<string, Stoppable>> = {
  'has receipts': (client, assetId, signal) => client.assetReceipts(assetId, { signal }),
  'is held': (client, assetId, signal) => client.verifyHeld({ assetIds: [assetId], signal }),
  'may be destroyed here': (client, assetId, signal) =>
    client.verifyBeforeDestroying({ assetId, source: sourceOfBytes(content), signal }),
}

describe('a check that is stopped while it asks whether the file has changed', () => {
  for (const [what, check] of Object.entries(STOPPABLE))
    it(`accuses no server, asked whether it ${what}`, async () => {
      const { assetId } = await keep(content)
      const stopping = new AbortController()
      let described = 0
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const url = String(input)
        if (url.endsWith(`/v1/assets/${assetId}`)) described += 1
        if (described === 1 && url.endsWith('/receipts')) await rename('another')(assetId)
        if (described === 2) stopping.abort(new Error('stopped'))
        return quickEnvironment.fetch(input, init)
      }
      const client = anotherClient(proxy.url, owner, { ...quickEnvironment, fetch })
      await assert.rejects(check(client, assetId, stopping.signal), /^Error: stopped$/)
    })
})
