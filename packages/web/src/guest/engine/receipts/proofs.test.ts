/** Proofs about files that a guest has sent, made by the page's engine and checked with the server's own keys. */
import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { checkFile, checkSigned, ProofError, readProofs } from '@blindkeep/client/fileProof'
import { nodeEnvironment } from '@blindkeep/client/node'
import { parsePublishedKeys } from '@blindkeep/client/receipts'
import { sourceOfBytes } from '@blindkeep/client/source'
import {
  bytes,
  chosen,
  MIB,
  newBrowser,
  noMessage,
  openTab,
  reopened,
  rowOf,
  type Tab,
  useGuestWorld,
} from '../../../testing/guestTabs.ts'
import type { ChosenFile, Message } from '../../ground/messages.ts'

const world = useGuestWorld()

async function sent(files: readonly ChosenFile[], message: Message = noMessage, browser = newBrowser()) {
  const { url } = await world.owner.createLink()
  const tab = await openTab(url, browser)
  await tab.untilOpen()
  await tab.add(files)
  tab.send(message, undefined)
  await tab.until(({ checkedReceipts }) => checkedReceipts === files.length)
  return { url, tab }
}

async function madeBy(tab: Tab, id?: string) {
  await tab.makeProofs(id)
  const { proofs } = tab.snapshot()
  assert.ok(proofs?.is === 'made', proofs?.is)
  return proofs
}

describe('a proof about a sent file', () => {
  it('holds for this file alone, by the keys of the server, and its words are shown before', async () => {
    const [one, two] = [bytes(2 * MIB + 5), bytes(100)]
    const { tab } = await sent([chosen('a.pdf', one, { folder: 'tax' }), chosen('b.pdf', two)], {
      note: 'Both\npages',
      sender: 'Ada',
    })
    assert.equal(tab.snapshot().provable, 2)
    const { words, changedFiles } = await madeBy(tab)
    assert.equal(changedFiles, 0)
    const modifiedAt = '2023-11-14T22:13:20.000Z'
    const files = [
      { name: 'b.pdf', size: two.length, modifiedAt },
      { name: 'tax/a.pdf', size: one.length, modifiedAt },
    ]
    assert.deepEqual(words, [{ sender: 'Ada', note: 'Both\npages', answers: [], goFiles: 2, files, moreFiles: 0 }])

    const document = tab.takeProofs()
    assert.match(document?.name ?? '', /^blindkeep-proofs-\d{4}-\d\d-\d\d\.jsonl$/)
    assert.equal(rowOf(tab.snapshot(), 'a.pdf').proofFile, document?.name)
    assert.deepEqual([tab.snapshot().proofs, tab.takeProofs()], [undefined, undefined])
    const published = await fetch(`${world.proxy.url}/.well-known/service/attestation-keys`)
    const keys = await parsePublishedKeys(await published.json())
    const read: (string | undefined)[] = []
    for await (const proof of readProofs(new Blob([document?.json ?? '']).stream())) {
      const signed = await checkSigned(proof, { keys, serverId: world.proxy.url })
      const [content, other] = proof.file?.folder === 'tax' ? [one, two] : [two, one]
      const check = (given: Uint8Array) =>
        checkFile({ proof, signed, source: sourceOfBytes(given), environment: nodeEnvironment })
      read.push((await check(content)).name)
      await assert.rejects(check(other), ProofError)
      await assert.rejects(check(content.with(0, (content[0] ?? 0) ^ 1)), ProofError)
    }
    assert.deepEqual(read, ['b.pdf', 'tax/a.pdf'])
  })

  it('is saved for one file by itself', async () => {
    const { tab } = await sent([chosen('a.pdf', bytes(10)), chosen('b.pdf', bytes(20))])
    await madeBy(tab, rowOf(tab.snapshot(), 'b.pdf').id)
    const document = tab.takeProofs()
    assert.equal(document?.name, 'blindkeep-proof-b.pdf.json')
    assert.equal(JSON.parse(document?.json ?? '').file.name, 'b.pdf')
    assert.equal(rowOf(tab.snapshot(), 'a.pdf').proofFile, undefined)
  })

  it('needs the visit that sent the file: nothing of it is stored', async () => {
    const browser = newBrowser()
    const { url, tab } = await sent([chosen('a.pdf', bytes(10))], noMessage, browser)
    await madeBy(tab)
    const { file } = JSON.parse(tab.takeProofs()?.json ?? '')
    const linkId = world.linkIdOf(url)
    const { store } = browser
    const stored = JSON.stringify([await store.landed(linkId), await store.uploads(linkId)])
    assert.ok(stored.includes('a.pdf'))
    for (const secret of [file.opening.secret, file.opening.prefix]) assert.ok(!stored.includes(secret))
    const later = await openTab(url, reopened(browser))
    const { checkedReceipts, provable } = later.snapshot()
    assert.deepEqual([checkedReceipts, provable], [1, 0])
    assert.deepEqual((await madeBy(later)).words, [])
    assert.equal(later.takeProofs(), undefined)
  })

  it('is not made about a file that has changed since', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-proofs-'))
    try {
      const path = join(directory, 'a.pdf')
      await writeFile(path, bytes(100))
      const file = new File([await openAsBlob(path)], 'a.pdf', { lastModified: 1 })
      const { tab } = await sent([{ file, folder: '', isNew: false }, chosen('b.pdf', bytes(10))])
      await writeFile(path, bytes(101))
      const { words, changed, changedFiles } = await madeBy(tab)
      assert.deepEqual([changed, changedFiles], [['a.pdf'], 1])
      assert.deepEqual(
        words.flatMap(({ files }) => files.map(({ name }) => name)),
        ['b.pdf'],
      )
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('is dropped on the way, and forgotten with what has landed', async () => {
    const { tab } = await sent([chosen('a.pdf', bytes(3 * MIB))])
    const making = tab.makeProofs()
    tab.dropProofs()
    await making
    assert.deepEqual([tab.snapshot().proofs, tab.takeProofs()], [undefined, undefined])
    await madeBy(tab)
    await tab.forgetLanded()
    assert.deepEqual([tab.snapshot().proofs, tab.snapshot().provable], [undefined, 0])
    assert.equal(tab.takeProofs(), undefined)
  })
})
