import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { DropId } from '@blindkeep/protocol/ids'
import { KEM_CIPHERTEXT_BYTES } from '@blindkeep/protocol/suites'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { newOwner, sendFile } from '../../../../testing/people.ts'
import { inboxList } from '../drops/ownerInbox.ts'
import type { Owner } from '../owner.ts'
import { itemsOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { createCalls } from './call.ts'
import { AnswerError } from './errors.ts'
import { listPages, wholeList } from './listPages.ts'

const { proxy } = await sharedServer()
let owner: Owner
let dropIds: readonly DropId[]

before(async () => {
  owner = await newOwner(proxy.url)
  const { url } = await owner.createLink()
  for (let count = 0; count < 7; count++) await sendFile(url, randomBytes(5))
  dropIds = (await itemsOf(owner.pendingDrops())).map(({ dropId }) => dropId)
})

function listed() {
  const { accessToken } = owner.tokens()
  const tokens = { access: () => accessToken, renew: () => Promise.reject(new Error('the token is new')) }
  return inboxList(createCalls({ baseUrl: proxy.url, tokens }).call)
}

/** Pages of two. */
const pagesOf = (known: readonly DropId[] = [], order?: 'newest') =>
  listPages(listed(), { known, order, pageEntries: 2 })

/** The pages by their drops' numbers. `onPage` runs while the reader waits. */
async function numbersIn(
  pages: ReturnType<typeof pagesOf>,
  onPage: (count: number) => Promise<void> = async () => undefined,
) {
  const numbers: number[][] = []
  for await (const page of pages) {
    numbers.push(page.map(({ drop_id }) => dropIds.indexOf(drop_id)))
    await onPage(numbers.length)
  }
  return numbers
}

describe('a list in pages', () => {
  it('has each drop once, oldest or newest first, or those after the known ones', async () => {
    assert.deepEqual(await numbersIn(pagesOf()), [[0, 1], [2, 3], [4, 5], [6]])
    assert.deepEqual(await numbersIn(pagesOf(dropIds.slice(0, 4))), [[4, 5], [6]])
    assert.deepEqual(await numbersIn(pagesOf(dropIds)), [])
    assert.deepEqual(await numbersIn(pagesOf([], 'newest')), [[6, 5], [4, 3], [2, 1], [0]])
    assert.deepEqual(await numbersIn(pagesOf(dropIds.slice(2).toReversed(), 'newest')), [[1, 0]])
  })

  it('loses and repeats none when the drops that it has listed leave meanwhile', async () => {
    const discard = (...numbers: readonly number[]) =>
      Promise.all(numbers.map((number) => owner.discardDrop(dropIds[number] ?? '')))
    const listed = await numbersIn(pagesOf(), async (count) => {
      if (count === 2) await discard(3, 2, 1)
    })
    assert.deepEqual(listed.flat(), [0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(await numbersIn(pagesOf(dropIds.slice(0, 4))), [[4, 5], [6]])
    await discard(0)
    assert.deepEqual((await numbersIn(pagesOf(dropIds.slice(0, 4)))).flat(), [4, 5, 6])
  })

  it('is given in parts, each before the next page is asked for', async () => {
    const happened: string[] = []
    const names = new Map<string | undefined, number>(dropIds.map((id, number) => [id, number]))
    const { ask, ...list } = listed()
    const noted: typeof ask = (request) => {
      happened.push(`asked after ${names.get(request.query.after)}`)
      return ask(request)
    }
    const numberOf = ({ drop_id }: { readonly drop_id: DropId }) => dropIds.indexOf(drop_id)
    const onPart = (numbers: readonly number[]) => happened.push(`has ${numbers}`)
    const numbers = await wholeList({ ...list, ask: noted }, numberOf, { onPart, pageEntries: 2 })
    assert.deepEqual(happened, ['asked after undefined', 'has 4,5', 'asked after 5', 'has 4,5,6'])
    assert.deepEqual(numbers, [4, 5, 6])
  })
})

describe('a list of a server that lies', () => {
  const entryOf = (drop_id: string) => ({
    drop_id,
    opaque_id: '0'.repeat(32),
    ciphertext_hash: '0'.repeat(64),
    size: 1,
    content_type: 'application/octet-stream',
    kem_ct: randomBytes(KEM_CIPHERTEXT_BYTES).toString('base64'),
    received_at: '2026-01-01T00:00:00.000Z',
    adopting: false,
  })

  const isRefused = (lie: () => readonly string[], fault: RegExp) => async () => {
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\?/),
      answer: (message) => ({
        ...message,
        status: 200,
        body: Buffer.from(JSON.stringify({ drops: lie().map(entryOf) })),
      }),
    })
    await assert.rejects(numbersIn(pagesOf()), (error) => error instanceof AnswerError && fault.test(error.message))
  }
  const [one, other] = [randomUUID(), randomUUID()]

  it(
    'is refused when it does not end',
    isRefused(() => [randomUUID(), randomUUID()], /more than 800 entries/),
  )
  it(
    'is refused when a page is longer than asked',
    isRefused(() => [one, other, randomUUID()], /of 2 has 3 entries/),
  )
  it(
    'is refused when a page repeats an entry',
    isRefused(() => [one, one], /an entry twice/),
  )
  it(
    'is refused when a later page does',
    isRefused(() => [one, other], /an entry twice/),
  )
})
