/** What the server says of its next and its former address (`server-info`). Not signed: it is shown, never followed. */
import { plainAddressOf } from '@blindkeep/client/call'
import { parseInstant } from '@blindkeep/protocol/ids'
import type { ServerInfoResponse } from '@blindkeep/protocol/schemas/discovery'
import { isIpAddress } from '../ground/authenticator.ts'

const DAY_MS = 86_400_000
/** An announcement that was neither carried out nor withdrawn. */
const ANNOUNCED_DAYS = 30
const FORMER_DAYS = 90

interface Name {
  /** As it is shown: the host, and for one without TLS the whole origin. */
  readonly name: string
}

interface OtherName extends Name {
  /** The passkeys of one of the two addresses do not exist at the other one. */
  readonly isOtherHost: boolean
}

export interface NextName extends OtherName {
  /** A day, RFC 3339 in UTC. */
  readonly on: string
}

export interface FormerName extends Name {
  /** Browsers made passkeys for that host, and have none of them here. Whether an account had one is not known. */
  readonly endsPasskeys: boolean
  /** RFC 3339. */
  readonly movedAt: string
}

interface Here {
  readonly baseUrl: string
  readonly nowMs: number
}

/** Undefined if no move is announced, or long overdue. */
export function nextNameIn({ moves_to: next }: ServerInfoResponse, { baseUrl, nowMs }: Here): NextName | undefined {
  const other = next && otherName(next.server_id, baseUrl)
  const isPresent = next !== undefined && nowMs - Number(parseInstant(next.on)) < ANNOUNCED_DAYS * DAY_MS
  return other && isPresent ? { ...other, on: next.on } : undefined
}

/** Undefined if the server never moved, or long ago. */
export function formerNameIn({ moved_from: former }: ServerInfoResponse, here: Here): FormerName | undefined {
  const other = former && otherName(former.server_id, here.baseUrl)
  const isRecent = former !== undefined && here.nowMs - Number(parseInstant(former.moved_at)) < FORMER_DAYS * DAY_MS
  if (!other || !isRecent) return undefined
  const hadPasskeys = !isIpAddress(new URL(former.server_id).hostname)
  return { name: other.name, endsPasskeys: other.isOtherHost && hadPasskeys, movedAt: former.moved_at }
}

/** Undefined for what is no origin that people may be shown, or this one. */
function otherName(origin: string, baseUrl: string): OtherName | undefined {
  const url = plainAddressOf(origin) === undefined ? undefined : new URL(origin)
  const here = new URL(baseUrl)
  if (url?.origin !== origin || origin === here.origin) return undefined
  return { name: url.protocol === 'https:' ? url.host : origin, isOtherHost: url.hostname !== here.hostname }
}
