import { Client } from 'pg'
import { StorageUnavailable, StoreBroken } from '../../../ports/store.ts'
import { connectionError } from './login.ts'

/** The connection of a node beside its transactions. It holds the node's place while it is open. */
export interface NodeConnection {
  /** The first row. Throws `StorageUnavailable` if the connection is lost. */
  ask(text: string, values?: readonly unknown[]): Promise<Readonly<Record<string, unknown>>>
  /** Opens it if it is lost; answers whether it was. Throws also `NotAlone` when another process has the place. */
  open(): Promise<boolean>
  /** Another number after each opening. Undefined while it is lost. */
  number(): number | undefined
  close(): Promise<void>
}

/** Another process serves the data alone, or with other bytes. This one must end. */
export class NotAlone extends StoreBroken {
  override readonly name = 'NotAlone'
  constructor(isSole: boolean) {
    super(
      isSole
        ? 'another node serves this database. With files as BLOBS_URL there can be only one: stop the other one'
        : 'another node serves this database alone, with files as BLOBS_URL. Stop it, and give all nodes the same BLOBS_URL',
    )
  }
}

/** A node that is frozen or cut off for so long loses its connection, and with it all its locks. */
const IDLE_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = 4_000

/** An advisory lock that each running node shares, or has for itself. The first number stands for Blindkeep. */
export const NODE_LOCK = '1651207790, 3'

export function createNodeConnection(options: {
  readonly url: string
  /** The bytes are in files, which only one process may write. */
  readonly isSole: boolean
  /** Its name for `listen`, in which only letters and underscores are safe. */
  readonly channel: string
  readonly onNotice: (payload: string) => void
}): NodeConnection {
  const { url, isSole, channel, onNotice } = options
  let client: Client | undefined
  let openings = 0

  async function connect(): Promise<Client> {
    const fresh = new Client({
      connectionString: url,
      fallback_application_name: 'blindkeep node',
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      // Jobs ask at the same time.
      pipeline: true,
    })
    const lose = () => {
      if (client === fresh) client = undefined
    }
    fresh.on('error', lose).on('end', lose)
    fresh.on('notification', ({ payload = '' }) => onNotice(payload))
    try {
      await fresh.connect()
      await fresh.query(`set idle_session_timeout = ${IDLE_TIMEOUT_MS}; set statement_timeout = ${ANSWER_TIMEOUT_MS}`)
      const kind = isSole ? '' : '_shared'
      const { rows } = await fresh.query(`select pg_try_advisory_lock${kind}(${NODE_LOCK}) as locked`)
      if (rows[0]?.locked !== true) throw new NotAlone(isSole)
      await fresh.query(`listen ${channel}`)
      return fresh
    } catch (error) {
      await fresh.end().catch(() => undefined)
      throw error instanceof NotAlone ? error : connectionError(error)
    }
  }

  return {
    async ask(text, values = []) {
      if (client === undefined) throw new StorageUnavailable('The connection to the database is lost')
      const { rows } = await client.query(text, [...values]).catch((error: unknown) => {
        throw connectionError(error)
      })
      return rows[0] ?? {}
    },
    async open() {
      if (client !== undefined) return false
      client = await connect()
      openings += 1
      return true
    },
    number: () => (client === undefined ? undefined : openings),
    async close() {
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}
