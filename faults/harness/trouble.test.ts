import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { type Asked, createApi, type Reply } from './api.ts'
import { createTrouble, type Trouble } from './trouble.ts'

const VERIFY: Asked = { method: 'POST', path: '/v1/storage/verify', json: {} }
const CONTENT: Asked = { method: 'GET', path: '/v1/blob/abc' }
const NO = verdicts(true, false)
const YES = verdicts(true, true)
const BYTES: Answer = { status: 200, text: 'wrong' }
const UNAVAILABLE = problem('error.storage.unavailable')
const FULL = problem('error.storage.full')

describe('an answer while something behind the server is away', () => {
  it('is none if it doubts, and the trouble began and ended during the ask', async () => {
    assert.equal(await asked(VERIFY, NO, aSpell), undefined)
  })

  it('counts if it is a yes', async () => {
    assert.equal((await asked(VERIFY, YES, aSpell))?.status, 200)
  })

  it('counts if it doubts, and the trouble was over when it was asked', async () => {
    assert.equal((await asked(VERIFY, NO, () => undefined, aSpell))?.status, 200)
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

function verdicts(...durable: readonly boolean[]): Answer {
  return { status: 200, text: JSON.stringify({ verdicts: durable.map((each) => ({ durable: each })) }) }
}

function problem(code: string): Answer {
  return { status: 500, text: JSON.stringify({ code }) }
}

function aSpell({ present }: Trouble): void {
  present.isNow = true
  present.isNow = false
}

/** What a guest sees of an answer, with something that happens before the question and during it. */
async function asked(
  question: Asked,
  { status, text }: Answer,
  during: (trouble: Trouble) => void,
  before: (trouble: Trouble) => void = () => undefined,
): Promise<Reply | undefined> {
  const trouble = createTrouble()
  before(trouble)
  const server = createServer((_request, response) => {
    during(trouble)
    response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'application/problem+json' })
    response.end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  try {
    return await trouble.seen(createApi({ url: `http://127.0.0.1:${port}`, uptimeMs: () => 0 })).ask(question)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
