/** Objects that a bucket has lost or damaged come back from a backup, beside nodes that go on serving. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { startNodes } from '../../testing/nodes.ts'
import { openObjectStore, type TestObjectStore } from '../../testing/objectStore.ts'
import { anotherClient, newOwner, openedDrops, sendFile } from '../../testing/people.ts'
import { sha256 } from '../harness/random.ts'

const FILES = 3

/** Of objects, not the marker or the witness. */
async function keysIn({ client, bucket: Bucket, prefix: Prefix }: TestObjectStore): Promise<readonly string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }))
  return Contents.flatMap(({ Key = '' }) => (Key.slice(Prefix.length).includes('/') ? [Key] : []))
}

const bytesOf = async (content: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(content).arrayBuffer())

it('a bucket gets lost and damaged objects back from a backup, beside its nodes', async (t) => {
  const objects = await openObjectStore()
  t.after(objects.stop)
  const { nodes, url, stop } = await startNodes({ count: 2, blobs: objects.env })
  t.after(stop)
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-bucket-backup-'))
  t.after(() => rm(root, { recursive: true }))
  const [one, other] = nodes
  assert.ok(one !== undefined && other !== undefined)
  const owner = await newOwner(url)
  const { url: link } = await owner.createLink({})
  const sent: Uint8Array[] = []
  for (let count = 0; count < FILES; count += 1) {
    const content = new Uint8Array(randomBytes(200_000))
    await sendFile(link, content)
    sent.push(content)
  }
  const command = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await one.command([...args, '--json'])
    return { status, json: JSON.parse(stdout || assert.fail(stderr)) }
  }
  const backup = join(root, 'backup')
  assert.equal((await command('backup', backup)).status, 0)

  const [lost, damaged] = await keysIn(objects)
  const { client, bucket: Bucket } = objects
  await client.send(new DeleteObjectCommand({ Bucket, Key: lost }))
  await client.send(new PutObjectCommand({ Bucket, Key: damaged, Body: randomBytes(200_000) }))
  const wrong = await command('fsck', '--deep')
  assert.deepEqual([wrong.status, wrong.json.findings.length], [1, 2])
  const repaired = await command('fsck', '--deep', '--repair-from', backup)
  assert.deepEqual([repaired.status, repaired.json.brought_back.objects], [0, 2], JSON.stringify(repaired.json))
  assert.deepEqual((await command('fsck', '--deep')).json.findings, [])
  const hashes = (contents: readonly Uint8Array[]) => contents.map((content) => sha256(content)).toSorted()
  for (const node of [one, other]) {
    const of = anotherClient(node.url, owner)
    const received: Uint8Array[] = []
    for (const drop of await openedDrops(of)) received.push(await bytesOf((await of.openDrop(drop)).content))
    assert.deepEqual(hashes(received), hashes(sent))
  }
})
