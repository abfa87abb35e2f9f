/** A world for `verifyBeforeDestroying`: an account with two assets on a server behind a tampering proxy. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type BehindProxy, startBehindProxy } from '../../../../testing/behindProxy.ts'
import { anotherClient, type Keeper, newKeeper } from '../../../../testing/people.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { sourceOfBytes } from '../seal/source.ts'
import type { BeforeDestroying, DestroyAnswer, DoubtReason } from '../verify/verifyBeforeDestroying.ts'

const MIB = 1024 * 1024

export interface Destroying extends BehindProxy {
  readonly keeper: Keeper
  readonly content: Uint8Array<ArrayBuffer>
  /** The asset in question, which holds `content`, and another one of the account, whose answers a tampering may use. */
  readonly asset: AssetFacts
  readonly other: AssetFacts
  keep(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts>
  /** Past the proxy. */
  blobBytes(hash: string): Promise<Buffer<ArrayBuffer>>
  /** Asks as a client that has nothing but the account key and tokens. */
  ask(question?: Partial<BeforeDestroying>): Promise<DestroyAnswer>
  /** The answer must be no, only for this reason. */
  assertNo(reason: DoubtReason, question?: Partial<BeforeDestroying>): Promise<void>
}

export async function startDestroying(): Promise<Destroying> {
  const behind = await startBehindProxy()
  try {
    return await destroyingOver(behind)
  } catch (error) {
    await behind.stop()
    throw error
  }
}

async function destroyingOver(behind: BehindProxy): Promise<Destroying> {
  const { proxy, server } = behind
  const keeper = await newKeeper(proxy.url)
  const { owner } = keeper

  async function keep(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts> {
    const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), ...keeper, name: 'a plan.pdf' })
    return owner.asset(assetId)
  }

  async function blobBytes(hash: string): Promise<Buffer<ArrayBuffer>> {
    const headers = { authorization: `Bearer ${owner.tokens().accessToken}` }
    return Buffer.from(await (await fetch(`${server.url}/v1/blob/${hash}`, { headers })).arrayBuffer())
  }

  const other = await keep(new Uint8Array(randomBytes(2 * MIB)))
  const content = new Uint8Array(randomBytes(2 * MIB))
  const asset = await keep(content)

  function ask(question: Partial<BeforeDestroying> = {}): Promise<DestroyAnswer> {
    const client = anotherClient(proxy.url, owner)
    return client.verifyBeforeDestroying({ assetId: asset.assetId, source: sourceOfBytes(content), ...question })
  }

  async function assertNo(reason: DoubtReason, question: Partial<BeforeDestroying> = {}): Promise<void> {
    const answer = await ask(question)
    assert.ok(!answer.safe, 'the answer is yes')
    assert.ok(answer.doubts.length > 0)
    for (const doubt of answer.doubts) {
      assert.equal(doubt.reason, reason, doubt.message)
      assert.match(doubt.message, /Keep your copy\.$/)
    }
  }

  return { ...behind, keeper, content, asset, other, keep, blobBytes, ask, assertNo }
}
