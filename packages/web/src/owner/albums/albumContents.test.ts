/** What a real server says of an album's files. */
import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { chosenDateText } from '@blindkeep/client/fileDate'
import { sourceOfBytes } from '@blindkeep/client/source'
import { newKeeper, openedDrops, sendFile } from '../../../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../../../testing/startServer.ts'
import { createNameIndex } from '../find/nameIndex.ts'
import { contentsOf } from './albumContents.ts'
import { alreadyThere } from './alreadyThere.ts'

let server: RunningServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

it('an album has a file that this account has uploaded, and none that a guest describes alike or the server has lost', async () => {
  const { owner, album, device } = await newKeeper(server.url)
  const content = new Uint8Array(1_000)
  const files = ['kept.jpg', 'lost.jpg', 'sent.jpg'].map((name) => ({
    name,
    size: 1_000,
    lastModified: 1_780_000_000_000,
  }))
  const [kept, lost, sent] = files
  assert.ok(kept && lost && sent)
  const factsOf = (file: typeof kept) => ({ name: file.name, modifiedAt: chosenDateText(file) })
  const upload = { source: sourceOfBytes(content), album, device }
  await owner.upload({ ...upload, ...factsOf(kept) })
  const { assetId } = await owner.upload({ ...upload, ...factsOf(lost) })
  const { url } = await owner.createLink({})
  await sendFile(url, content, factsOf(sent))
  for (const drop of await openedDrops(owner)) await owner.adoptDrop(drop, { album, device })
  const original = (await owner.asset(assetId)).blobs.find(({ role }) => role === 'original')?.hash ?? assert.fail()
  const blobs = join(server.dataDir, 'blobs')
  const path = (await readdir(blobs, { recursive: true })).find((one) => one.includes(original)) ?? assert.fail()
  await rm(join(blobs, path))

  const names = createNameIndex(owner, server.url)
  const known = await alreadyThere(files, contentsOf(album, { owner, names, queue: { items: () => [] } }))
  assert.deepEqual([...known], [kept])
})
