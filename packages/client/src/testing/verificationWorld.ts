/** Two assets of one account behind a tampering proxy, and the question whether the file of one may be destroyed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BehindProxy } from '../../../../testing/behindProxy.ts'
import { anotherClient, type Keeper, newKeeper } from '../../../../testing/people.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { sourceOfBytes } from '../seal/source.ts'
import type { BeforeDestroying, DestroyAnswer, DoubtReason } from '../verify/verifyBeforeDestroying.ts'
import { sharedServer } from './sharedServer.ts'

const MIB = 1024 * 1024

export interface VerificationWorld extends Omit<BehindProxy, 'stop'> {
  readonly keeper: Keeper
  readonly content: Uint8Array<ArrayBuffer>
  /** The asset in question, which has `content`, and another one of the same account to take data from. */
  readonly asset: AssetFacts
  readonly other: AssetFacts
  keep(bytes: Uint8Array<ArrayBuffer>): Promise<AssetFacts>
  /** Directly from the server. */
  blobBytes(hash: string): Promise<Buffer<ArrayBuffer>>
  /** The path of a blob on the server's disk. */
  blobPath(hash: string): Promise<string>
  /** Asks with a client that has only the account. */
  ask(question?: Partial<BeforeDestroying>): Promise<DestroyAnswer>
  /** The answer must be a no, for this reason alone. */
  assertNo(reason: DoubtReason, question?: Partial<BeforeDestroying>): Promise<void>
}

export async function createVerificationWorld(): Promise<VerificationWorld> {
  const { proxy, server } = await sharedServer()
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

  async function blobPath(hash: string): Promise<string> {
    const directory = join(server.dataDir, 'blobs')
    const name = (await readdir(directory, { recursive: true })).find((one) => one.includes(hash))
    assert.ok(name !== undefined)
    return join(directory, name)
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

  return { proxy, server, keeper, content, asset, other, keep, blobBytes, blobPath, ask, assertNo }
}
