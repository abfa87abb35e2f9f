import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DemoFile } from './files.ts'
import type { GuestDone, GuestOrder } from './guestMessages.ts'
import { startGuest } from './guestProcess.ts'
import type { MemoryPeaks } from './memory.ts'
import { PASSPHRASE } from './ownerActs.ts'
import type { Stage } from './stage.ts'
import { type Story, sizeOf } from './story.ts'

export interface World {
  readonly story: Story
  readonly stage: Stage
  readonly url: string
  readonly root: string
  readonly peaks: MemoryPeaks
}

function orderFor({ url, root }: World, { path, name }: DemoFile): GuestOrder {
  const statePath = join(root, `${randomUUID()}.state.json`)
  return { url, path, statePath, passphrase: PASSPHRASE, note: `Here is ${name}.`, sender: 'Gustav' }
}

/** Sends a small file without interruption. */
export async function guestSends(world: World, file: DemoFile): Promise<void> {
  const { story } = world
  await story.step(`Gustav, in another process, sends ${file.name} through the link.`, async () => {
    const done = await startGuest(orderFor(world, file), {
      onLimits: ({ fileBytesMax, remainingFiles }) =>
        story.say(
          `Before a byte is sent he sees: up to ${remainingFiles} files, each up to ${sizeOf(fileBytesMax ?? 0)}.`,
        ),
    }).done
    reportReceipt(world, file, done)
  })
}

function reportReceipt({ story, stage, peaks }: World, file: DemoFile, done: GuestDone): void {
  const { receiptSeq, receivedAt, keyId, size, peakMemoryBytes } = done
  peaks.guests.push(peakMemoryBytes)
  story.say(
    `${sizeOf(size)} sealed. Receipt no. ${receiptSeq} of ${stage.url}, ${receivedAt}, key ${keyId.slice(0, 16)}…`,
  )
  story.check(size > file.size, 'it landed, and its receipt verifies: both signatures, this server, these bytes')
}

/** Sends the large file. The guest's process is killed in the middle, later the server; both continue. */
export async function guestSendsThroughTrouble(world: World, file: DemoFile): Promise<void> {
  const order = orderFor(world, file)
  const sentBytes = await guestIsKilled(world, file, order)
  await world.story.step(`A new process resumes ${file.name}, and the server is killed meanwhile.`, async () => {
    const { story } = world
    let first: number | undefined
    let isHalfway = () => {}
    const halfway = new Promise<void>((resolve) => {
      isHalfway = resolve
    })
    const guest = startGuest(order, {
      onProgress: ({ phase, bytes, of, waitingMs }) => {
        if (phase === 'sending' && bytes > 0) first ??= bytes
        if (bytes > of * 0.66) isHalfway()
        if (waitingMs !== undefined)
          story.say(`Gustav’s process: no answer, tries again in ${Math.round(waitingMs)} ms.`)
      },
    })
    await Promise.race([halfway, guest.done])
    story.check(
      (first ?? 0) >= sentBytes,
      `it began at ${sizeOf(first ?? 0)}, the server’s offset, not at the beginning`,
    )
    await world.stage.serverIsKilled(story)
    const done = await guest.done
    reportReceipt(world, file, done)
  })
}

/** Returns how many bytes the server had acknowledged. */
async function guestIsKilled(world: World, file: DemoFile, order: GuestOrder): Promise<number> {
  const { story, peaks } = world
  return story.step(`Gustav sends ${file.name}, and his process is killed (SIGKILL) in the middle.`, async () => {
    let acknowledged = 0
    let isMidway = () => {}
    const midway = new Promise<void>((resolve) => {
      isMidway = resolve
    })
    const startedMs = performance.now()
    const guest = startGuest(order, {
      onProgress: ({ phase, bytes, of }) => {
        if (phase === 'preparing' && bytes === of)
          story.say(`Sealed once for its hash: ${rate(of, performance.now() - startedMs)}.`)
        if (phase === 'sending') acknowledged = bytes
        if (phase === 'sending' && bytes > of / 3) isMidway()
      },
    })
    await Promise.race([midway, guest.done])
    peaks.guests.push(await guest.kill9())
    const outcome = await guest.done.then(
      () => 'landed',
      () => 'killed',
    )
    story.check(
      outcome === 'killed',
      `it was killed; the server had acknowledged ${sizeOf(acknowledged)} of ${sizeOf(file.size)}`,
    )
    return acknowledged
  })
}

function rate(bytes: number, milliseconds: number): string {
  return `${sizeOf(bytes)}, ${sizeOf((bytes / milliseconds) * 1000)}/s`
}
