import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { DropId } from '@blindkeep/protocol/ids'
import { KEM_CIPHERTEXT_BYTES } from '@blindkeep/protocol/suites'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { newOwner, sendFile } from '../../../../testing/people.ts'
import { createCalls } from '../http/call.ts'
import type { Owner } from '../owner.ts'
import { itemsOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { inboxPages } from './inboxPages.ts'

const { proxy } = await sharedServer()
let owner: Owner
let dropIds: readonly DropId[]

before(async () => {
  owner = await newOwner(proxy.url)
  const { url } = await owner.createLink()
  for (let count = 0; count < 7; count++) await sendFile(url, randomBytes(5))
  dropIds = (await itemsOf(owner.pendingDrops())).map(({ dropId }) => dropId)
})

/** Pages of two. */
function pagesOf(known: readonly DropId[] = [], order?: 'newest') {
  const { accessToken } = owner.tokens()
  const tokens = { access: () => accessToken, renew: () => Promise.reject(new Error('the token is new')) }
  return inboxPages(createCalls({ baseUrl: proxy.url, tokens }).call, { known, order, pageDrops: 2 })
}

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

describe('an inbox in pages', () => {
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

  it('is refused when a server lists without end', async () => {
    const entry = {
      opaque_id: '0'.repeat(32),
      ciphertext_hash: '0'.repeat(64),
      size: 1,
      content_type: 'application/octet-stream',
      kem_ct: randomBytes(KEM_CIPHERTEXT_BYTES).toString('base64'),
      received_at: '2026-01-01T00:00:00.000Z',
      adopting: false,
    }
    const page = () => ({ drops: [0, 1].map(() => ({ ...entry, drop_id: randomUUID() })) })
    proxy.tamper({
      matches: isRequest('GET', /^\/v1\/drops\?/),
      answer: (message) => ({ ...message, status: 200, body: Buffer.from(JSON.stringify(page())) }),
    })
    await assert.rejects(numbersIn(pagesOf()), /more than 800 drops/)
  })
})
