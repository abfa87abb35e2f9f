/** The names of pending drops, from their sealed headers. A drop never changes, so its header is read once. */
import type { DropId } from '@blindkeep/protocol/ids'
import type { Environment } from '../ground/environment.ts'
import type { Call } from '../http/call.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { ANOTHER_DROP, type DropFault, dropFaultOf, WITHHELD } from './dropError.ts'
import { createDropIdentities } from './dropIdentities.ts'
import type { LinkKeysOf } from './dropKeys.ts'
import { type DescribedDrop, type DropFacts, isSameDrop, openDropPrefix } from './inboxDrop.ts'

/** A drop that cannot be opened is listed with its fault, never hidden: it uses quota, and a guest has sent it. */
export type InboxItem =
  | (DescribedDrop & { readonly fault?: undefined })
  | (DropFacts & { readonly file?: undefined; readonly fault: DropFault })

export interface DropNamesPorts {
  readonly call: Call
  readonly keysOf: LinkKeysOf
  readonly environment: Environment
}

interface DropNames {
  /** Call it for each drop that is listed: its id stays its own from then on. */
  note(drop: DropFacts): void
  /** Rejects only with the signal's reason: any other failure is the item's fault. */
  read(drop: DropFacts, signal: AbortSignal | undefined): Promise<InboxItem>
  /** The others have left the inbox: their names are not needed any more. */
  keepOnly(listed: { has(dropId: DropId): boolean }): void
}

export function createDropNames({ call, keysOf, environment }: DropNamesPorts): DropNames {
  const identities = createDropIdentities(environment)
  const known = new Map<DropId, { readonly drop: DropFacts; readonly file: FileDescription }>()

  async function describe(drop: DropFacts, signal: AbortSignal | undefined): Promise<FileDescription> {
    const { header } = await openDropPrefix({ call, keysOf }, drop, signal)
    return descriptionOf(header)
  }

  function recalled(drop: DropFacts): FileDescription | undefined {
    const before = known.get(drop.dropId)
    return before !== undefined && isSameDrop(before.drop, drop) ? before.file : undefined
  }

  return {
    note: identities.note,
    async read(drop, signal) {
      if (identities.isSwapped(drop)) return { ...drop, fault: ANOTHER_DROP }
      try {
        const before = recalled(drop)
        if (before === undefined && drop.withheld !== undefined) return { ...drop, fault: WITHHELD[drop.withheld] }
        const file = before ?? (await describe(drop, signal))
        if (identities.isRenamed(drop, file)) return { ...drop, fault: ANOTHER_DROP }
        known.set(drop.dropId, { drop, file })
        return { ...drop, file }
      } catch (error) {
        const fault = dropFaultOf(error)
        if (signal?.aborted === true || fault === undefined) throw error
        return { ...drop, fault }
      }
    },
    keepOnly(listed) {
      for (const dropId of known.keys()) if (!listed.has(dropId)) known.delete(dropId)
    },
  }
}
