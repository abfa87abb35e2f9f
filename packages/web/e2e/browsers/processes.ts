import type { ChildProcess } from 'node:child_process'

const GRACE_MS = 10_000

/** Ends a process that we started, in the end by force. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  const force = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  await ended
  clearTimeout(force)
}
