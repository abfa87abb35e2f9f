/**
 * A demonstration on this machine: a server, an owner, a guest and three files; the guest's process is killed, then the
 * server's. Then the owner's assets on two machines, and a disk error. With `--scale` the same on two nodes with
 * PostgreSQL and an object store. Exits with 1 when a check fails. Needs no network and leaves nothing behind.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owner } from '@blindkeep/client/owner'
import { argumentsOf } from '../tools/arguments.ts'
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
import { MAX_NODE_BYTES, type MemoryPeaks, reportMemory } from './memory.ts'
import { openOneServer } from './oneServer.ts'
import { ownerDiscards, ownerLeaves, ownerMakesLink, ownerOpensAll, ownerRegisters } from './ownerActs.ts'
import { openSeveralNodes } from './severalNodes.ts'
import type { Stage } from './stage.ts'
import { createStory, type Story, seconds, sizeOf } from './story.ts'

const FILES = [
  ['letter.txt', 3_210],
  ['photographs.zip', 5_000_000],
  ['the whole film.mov', 300_000_000],
] as const

const { scale: isScale } = argumentsOf('npm run demo [-- --scale]', {
  scale: { type: 'boolean', default: false },
}).values

interface World {
  readonly story: Story
  readonly stage: Stage
  readonly root: string
}

/** `opened` gets the stage, so that it is stopped after an error too. */
async function runStory(story: Story, root: string, opened: Stage[]): Promise<void> {
  const stage = await (isScale ? openSeveralNodes : openOneServer)(story)
  opened.push(stage)
  const files = await story.step('Three files to send are written to a temporary directory.', async () => {
    const written = []
    for (const [name, size] of FILES) written.push(await writeFile(join(root, name), name, size))
    for (const { name, size, hash } of written) story.say(`${name}, ${sizeOf(size)}, SHA-256 ${hash.slice(0, 16)}…`)
    return written
  })
  const owner = await ownerRegisters(story, stage.url)
  const link = await ownerMakesLink(story, owner)
  const peaks: MemoryPeaks = { server: [], guests: [] }
  const world = { story, stage, url: link.url, root, peaks }
  const [letter, photographs, film] = files
  if (letter === undefined || photographs === undefined || film === undefined) throw new Error('a file is missing')
  await guestSends(world, letter)
  await guestSends(world, photographs)
  await guestSendsThroughTrouble(world, film)
  const items = await ownerOpensAll(story, owner, files)
  await ownerDiscards(story, owner, items)
  await ownerKeeps(world, owner, photographs)
  await ownerLeaves(story, owner)
  peaks.server.push(...(await stage.peakMemory()))
  await reportMemory(story, peaks, isScale ? MAX_NODE_BYTES : undefined)
  await story.step(isScale ? 'The nodes are asked to stop.' : 'The server is asked to stop.', async () => {
    story.check(
      (await stage.terminate()).every((code) => code === 0),
      'with exit status 0',
    )
  })
}

async function ownerKeeps({ story, stage, root }: World, owner: Owner, photographs: DemoFile): Promise<void> {
  const first = await ownerTakesDevice(story, owner)
  const adopted = await ownerAdopts(story, first, photographs)
  const { uploaded } = await otherMachineUploads(story, { stage, root, album: first.album, adopted })
  await firstMachineChecks(story, first, [adopted, uploaded])
  await ownerAsksBeforeDestroying(story, first, [adopted, uploaded])
  await diskRots(story, { owner, stage }, adopted)
}

async function main(): Promise<void> {
  const story = createStory()
  const root = await mkdtemp(join(tmpdir(), 'blindkeep-demo-'))
  const opened: Stage[] = []
  const cleanUp = async () => {
    for (const stage of opened) await stage.stop()
    await rm(root, { recursive: true, force: true })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void cleanUp().finally(() => process.exit(1)))
  const startedMs = performance.now()
  try {
    await runStory(story, root, opened)
  } catch (error) {
    story.check(false, `the demo runs to its end: ${error instanceof Error ? error.message : String(error)}`)
    for (const log of opened.flatMap((stage) => stage.logs()))
      console.log(`\nThe end of a server’s log:\n${log.slice(-4000)}`)
  } finally {
    await cleanUp()
  }
  const failures = story.failures()
  const took = seconds(performance.now() - startedMs)
  console.log(failures === 0 ? `\nAll checks passed. (${took})` : `\n${failures} checks failed. (${took})`)
  process.exitCode = failures === 0 ? 0 : 1
}

await main()
