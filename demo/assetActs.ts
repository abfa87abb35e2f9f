/** Olga adopts a drop, uploads a file, opens both on another device, and asks whether the server holds them. */
import { join } from 'node:path'
import { logIn } from '@blindkeep/client/account'
import { type Device, newDevice } from '@blindkeep/client/device'
import { nodeEnvironment as environment, openFile } from '@blindkeep/client/node'
import type { Album, Owner } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { type DemoFile, writeFile } from './files.ts'
import { hashOf, SIGN_IN } from './ownerActs.ts'
import type { Stage } from './stage.ts'
import { type Story, sizeOf } from './story.ts'

/** One of Olga's machines: signed in, with its own signing keys. */
export interface Machine {
  readonly owner: Owner
  readonly device: Device
}

export interface Kept {
  readonly assetId: AssetId
  readonly file: DemoFile
}

export async function ownerTakesDevice(story: Story, owner: Owner): Promise<Machine & { readonly album: Album }> {
  return story.step('Olga’s first machine gets its own signing keys, and she makes an album.', async () => {
    const device = await owner.addDevice(newDevice(environment))
    const album = await owner.createAlbum({ name: 'From Gustav' })
    const [listed] = await owner.albums()
    story.check(listed?.name === 'From Gustav', `the album “${listed?.name}”, a name that the server never saw`)
    return { owner, device, album }
  })
}

export async function ownerAdopts(
  story: Story,
  { owner, device, album }: Machine & { readonly album: Album },
  file: DemoFile,
): Promise<Kept> {
  return story.step(`Olga adopts ${file.name} into the album.`, async () => {
    const drop = (await owner.inbox()).find((item) => item.file?.name === file.name)
    if (drop?.file === undefined) throw new Error('the drop is not in the inbox')
    const { assetId } = await owner.adoptDrop(drop, { album: album.albumId, device })
    const waits = (await owner.inbox()).some(({ dropId }) => dropId === drop.dropId)
    story.check(!waits, 'it has left the inbox')
    const { complete, blobs } = await owner.asset(assetId)
    story.check(complete, `it is complete: ${blobs.map(({ role }) => role).join(', ')}`)
    return { assetId, file }
  })
}

/** Another machine, which knows nothing but her e-mail and password. */
export async function otherMachineUploads(
  story: Story,
  world: { readonly stage: Stage; readonly root: string; readonly album: Album; readonly adopted: Kept },
): Promise<Machine & { readonly uploaded: Kept }> {
  return story.step(
    'On another machine she signs in, opens what she adopted, and uploads a file of her own.',
    async () => {
      const { owner } = await logIn({ ...SIGN_IN, baseUrl: world.stage.url, environment })
      if (owner === undefined) throw new Error('the server demands a second factor, which she has not turned on')
      const device = await owner.addDevice(newDevice(environment))
      const devices = await owner.devices()
      story.check(devices.length === 2 && devices.every(({ isOwn }) => isOwn), 'two devices, both added by her')
      await checkOpens(story, owner, world.adopted)
      const file = await writeFile(join(world.root, 'contract.pdf'), 'contract.pdf', 40_000_000)
      const { source, modifiedAt, close } = await openFile(file.path)
      try {
        const { assetId } = await owner.upload({
          source,
          album: world.album.albumId,
          device,
          name: file.name,
          type: 'application/pdf',
          modifiedAt,
        })
        story.say(`${file.name}, ${sizeOf(file.size)}, sealed, sent and signed`)
        return { owner, device, uploaded: { assetId, file } }
      } finally {
        await close()
      }
    },
  )
}

async function checkOpens(story: Story, owner: Owner, { assetId, file }: Kept): Promise<void> {
  const opened = await owner.openAsset(assetId)
  const { hash, bytes } = await hashOf(opened.content)
  const isSame = hash === file.hash && bytes === file.size && opened.name === file.name
  story.check(
    isSame && opened.signed !== undefined,
    `${opened.name}, signed by her device, ${sizeOf(bytes)}: every byte`,
  )
}

export async function firstMachineChecks(story: Story, { owner }: Machine, kept: readonly Kept[]): Promise<void> {
  await story.step('On the first machine she opens both, and checks every receipt and the chain.', async () => {
    for (const each of kept) await checkOpens(story, owner, each)
    for (const { assetId, file } of kept) {
      const { receipts, keys } = await owner.assetReceipts(assetId)
      const again = await owner.assetReceipts(assetId, { pinned: keys })
      const seqs = receipts.map(({ receipt }) => receipt.receipt_seq).join(', ')
      story.check(again.receipts.length >= 3, `${file.name}: receipts ${seqs} verify under the pinned keys`)
    }
  })
}

export async function ownerAsksBeforeDestroying(
  story: Story,
  { owner }: Machine,
  kept: readonly Kept[],
): Promise<void> {
  await story.step('She asks “Do you really hold this?” before she deletes her own copies.', async () => {
    for (const { assetId, file } of kept) {
      const answer = await askAboutFile(owner, assetId, file.path)
      const why = answer.safe ? `every byte read again, at ${answer.checkedAt}` : answer.doubts[0]?.message
      story.check(answer.safe, `${file.name}: yes (${why})`)
    }
    const [first, second] = kept
    if (first === undefined || second === undefined) return
    const other = await askAboutFile(owner, first.assetId, second.file.path)
    story.check(!other.safe, `for another file the answer is no: ${other.safe ? '' : other.doubts[0]?.message}`)
  })
}

async function askAboutFile(owner: Owner, assetId: AssetId, path: string) {
  const { source, close } = await openFile(path)
  try {
    return await owner.verifyBeforeDestroying({ assetId, source })
  } finally {
    await close()
  }
}

export async function diskRots(
  story: Story,
  { owner, stage }: { readonly owner: Owner; readonly stage: Stage },
  { assetId, file }: Kept,
): Promise<void> {
  await story.step(`One bit of ${file.name} flips where the server keeps it.`, async () => {
    const asset = await owner.asset(assetId)
    const original = asset.blobs.find(({ role }) => role === 'original')
    if (original === undefined) throw new Error('the asset has no original')
    await stage.flipBit(original.hash)
    const question = [{ assetId, hashes: [original.hash] }]
    const [seen] = await owner.verifyStorage(question)
    story.say(`A check of rows and sizes does not notice: durable ${seen?.durable}.`)
    const [read] = await owner.verifyStorage(question, { deep: true })
    story.check(
      read?.durable === false && read.blobs[0]?.deep === 'corrupt',
      'a check that reads the bytes does: corrupt, not durable',
    )
    const answer = await askAboutFile(owner, assetId, file.path)
    story.check(!answer.safe, `and she gets the answer no: ${answer.safe ? '' : answer.doubts[0]?.message}`)
  })
}
