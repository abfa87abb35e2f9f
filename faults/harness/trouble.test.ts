import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { type Api, type Asked, createApi, type Reply } from './api.ts'
import { newAsset, newBlob } from './assets/assetLedger.ts'
import { type Asked as AskedAsset, askedOf, unknownHash, verify } from './assets/verify.ts'
import { createLedger, type Owner } from './ledger.ts'
import { createTrouble, type Trouble } from './trouble.ts'

const VERIFY: Asked = { method: 'POST', path: '/v1/storage/verify', json: {} }
const CONTENT: Asked = { method: 'GET', path: '/v1/blob/abc' }
const YES: Answer = { status: 200, text: JSON.stringify({ verdicts: [{ durable: true }] }) }
const BYTES: Answer = { status: 200, text: 'wrong' }
const UNAVAILABLE = problem('error.storage.unavailable')
const FULL = problem('error.storage.full')

describe('an answer while something behind the server is away', () => {
  it('may doubt if the trouble began and ended during the ask, not if it was over before', async () => {
    assert.equal((await asked(VERIFY, YES, aSpell))?.mayDoubt, true)
    assert.equal((await asked(VERIFY, YES, () => undefined, aSpell))?.mayDoubt, false)
  })

  it('is no fault where it says no, and is one where it says a false yes beside it', async () => {
    const [held, unknown] = [newAsset({} as Owner), newAsset({} as Owner)]
    const original = newBlob({ role: 'original', name: '', size: 1, hash: unknownHash(), attempt: undefined })
    original.landed = 'acknowledged'
    held.bundles.push({ action: 'create', original, metadata: undefined })
    const questions = [askedOf(held), askedOf(unknown)]
    const answer = verdictsOn(questions, [false, true])
    const faultsOf = async (during: (trouble: Trouble) => void) => {
      const ledger = createLedger()
      await answering(answer, { during }, async (api) =>
        verify({ api, ledger }, questions, { owner: { token: '' }, deep: false }),
      )
      return ledger.faults.map((fault) => fault.split(',')[0])
    }
    const [no, yes] = ['an acknowledged blob is not durable', 'a blob that cannot exist is durable']
    assert.deepEqual(await faultsOf(aSpell), [yes])
    assert.deepEqual(await faultsOf(() => undefined), [no, yes])
  })

  it('is none if its bytes may be wrong or it is refused, however long after the trouble it comes', async ({
    mock,
  }) => {
    const now = performance.now.bind(performance)
    let laterMs = 0
    mock.method(performance, 'now', () => now() + laterMs)
    const during = (trouble: Trouble) => {
      trouble.lying.isNow = trouble.full.isNow = true
      aSpell(trouble)
      trouble.lying.isNow = trouble.full.isNow = false
      laterMs += 30_000
    }
    for (const [question, answer] of [
      [CONTENT, BYTES],
      [VERIFY, YES],
      [CONTENT, UNAVAILABLE],
      [CONTENT, FULL],
    ] as const) {
      assert.equal(await asked(question, answer, during), undefined, answer.text)
      assert.equal((await asked(question, answer, () => undefined, during))?.status, answer.status, answer.text)
    }
  })
})

interface Answer {
  readonly status: number
  readonly text: string
}

function verdictsOn(questions: readonly AskedAsset[], durable: readonly boolean[]): Answer {
  const verdicts = questions.map(({ asset, hashes }, index) => {
    const is = durable[index] ?? false
    const blobs = hashes.map((hash) => ({ hash, role: 'original', stored: is, indexed: is, retrievable: is }))
    return { asset_id: asset.assetId, durable: is, blobs }
  })
  return { status: 200, text: JSON.stringify({ verdicts }) }
}

function problem(code: string): Answer {
  return { status: 500, text: JSON.stringify({ code }) }
}

function aSpell({ present }: Trouble): void {
  present.isNow = true
  present.isNow = false
}

/** What a guest sees of an answer, with something that happens before the question and during it. */
function asked(
  question: Asked,
  answer: Answer,
  during: (trouble: Trouble) => void,
  before?: (trouble: Trouble) => void,
): Promise<Reply | undefined> {
  return answering(answer, { during, before }, (api) => api.ask(question))
}

interface Happening {
  readonly during: (trouble: Trouble) => void
  readonly before?: ((trouble: Trouble) => void) | undefined
}

async function answering<Value>(
  { status, text }: Answer,
  { during, before }: Happening,
  use: (api: Api) => Promise<Value>,
): Promise<Value> {
  const trouble = createTrouble()
  before?.(trouble)
  const server = createServer((_request, response) => {
    during(trouble)
    response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'application/problem+json' })
    response.end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  try {
    return await use(trouble.seen(createApi({ url: `http://127.0.0.1:${port}`, uptimeMs: () => 0 })))
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
