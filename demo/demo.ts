/**
 * The whole loop on this machine, told in plain words: a server, its owner, a guest, three files, a guest who is killed and a server that is killed;
 * then what the owner keeps, on two machines, and a disk that rots.
 * Ends with status 1 if anything is not as it must be. Needs no network and leaves nothing behind.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from '@blindkeep/client/owner'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import {
  diskRots,
  firstMachineChecks,
  otherMachineUploads,
  ownerAdopts,
  ownerAsksBeforeDestroying,
  ownerTakesDevice,
} from './assetActs.ts'
import { type DemoFile, writeFile } from './files.ts'
import { guestSends, guestSendsThroughTrouble } from './guestActs.ts'
import { type MemoryPeaks, peakMemory, reportMemory } from './memory.ts'
import { ownerDiscards, ownerLeaves, ownerMakesLink, ownerOpensAll, ownerRegisters } from './ownerActs.ts'
import { createStory, type Story, seconds, sizeOf } from './story.ts'

const FILES = [
  ['letter.txt', 3_210],
  ['photographs.zip', 5_000_000],
  ['the whole film.mov', 300_000_000],
] as const

interface World {
  readonly story: Story
  readonly server: RunningServer
  readonly root: string
}

async function tell(story: Story, root: string, started: RunningServer[]): Promise<void> {
  const server = await story.step('A server starts with an empty directory.', async () => {
    const running = await startServer()
    started.push(running)
    story.say(`It listens at ${running.url} and holds no key of anybody.`)
    return running
  })
  const files = await story.step('Three files to send are written to a temporary directory.', async () => {
    const written = []
    for (const [name, size] of FILES) written.push(await writeFile(join(root, name), name, size))
    for (const { name, size, hash } of written) story.say(`${name}, ${sizeOf(size)}, SHA-256 ${hash.slice(0, 16)}…`)
    return written
  })
  const owner = await ownerRegisters(story, server.url)
  const link = await ownerMakesLink(story, owner)
  const peaks: MemoryPeaks = { server: [], guests: [] }
  const world = { story, server, url: link.url, root, peaks }
  const [letter, photographs, film] = files
  if (letter === undefined || photographs === undefined || film === undefined) throw new Error('a file is missing')
  await guestSends(world, letter)
  await guestSends(world, photographs)
  await guestSendsThroughTrouble(world, film)
  const items = await ownerOpensAll(story, owner, files)
  await ownerDiscards(story, owner, items)
  await ownerKeeps(world, owner, photographs)
  await ownerLeaves(story, owner)
  peaks.server.push(await peakMemory(server.pid()))
  await reportMemory(story, peaks)
  await story.step('The server is asked to stop.', async () => {
    story.check((await server.stop()) === 0, 'it ended by itself, with status 0')
  })
}

async function ownerKeeps({ story, server, root }: World, owner: Owner, photographs: DemoFile): Promise<void> {
  const first = await ownerTakesDevice(story, owner)
  const adopted = await ownerAdopts(story, first, photographs)
  const { uploaded } = await otherMachineUploads(story, { server, root, album: first.album, adopted })
  await firstMachineChecks(story, first, [adopted, uploaded])
  await ownerAsksBeforeDestroying(story, first, [adopted, uploaded])
  await diskRots(story, { owner, server }, adopted)
}

async function main(): Promise<void> {
  const story = createStory()
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-demo-'))
  const started: RunningServer[] = []
  const cleanUp = async () => {
    for (const server of started) await server.stop()
    await rm(root, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void cleanUp().finally(() => process.exit(1)))
  const startedMs = performance.now()
  try {
    await tell(story, root, started)
  } catch (error) {
    story.check(false, `everything goes through: ${error instanceof Error ? error.message : String(error)}`)
    for (const server of started) console.log(`\nThe server’s last words:\n${server.log().slice(-4000)}`)
  } finally {
    await cleanUp()
  }
  const failures = story.failures()
  const took = seconds(performance.now() - startedMs)
  console.log(failures === 0 ? `\nAll of it is as it must be. (${took})` : `\n${failures} not as it must be. (${took})`)
  process.exitCode = failures === 0 ? 0 : 1
}

await main()
