/**
 * `npm run on:postgres -- <command>`: runs a command beside a PostgreSQL server of its own, which ends with the command
 * and leaves nothing behind. `npm start` then serves on it; demo and fault runs start their servers on it. Without a
 * command it prints the URL and waits for Ctrl-C.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { startPostgresServer } from '../packages/server/src/testing/postgresServer.ts'

const [command, ...args] = process.argv.slice(2)
const server = await startPostgresServer()
// The command gets the same signals of the terminal and ends first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
try {
  const owner = new Client(server.url('postgres'))
  await owner.connect()
  await owner.query('create database blindkeep')
  await owner.end()
  const url = server.url('blindkeep')
  if (command === undefined) {
    console.log(url)
    // A timer keeps the process, as listeners of signals do not.
    const timer = setInterval(() => undefined, 60_000)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    clearInterval(timer)
  } else {
    const env = { ...process.env, DATABASE_URL: url, BLINDKEEP_TEST_POSTGRES: server.url('postgres') }
    const [status] = await once(spawn(command, args, { stdio: 'inherit', env }), 'exit')
    process.exitCode = typeof status === 'number' ? status : 1
  }
} finally {
  await server.stop()
}
