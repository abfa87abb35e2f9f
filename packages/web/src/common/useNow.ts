import { useEffect, useState } from 'preact/hooks'

const EVERY_MS = 30_000

/** The time by this clock, renewed often enough for words such as "5 minutes ago". What the server dates needs the server's clock. */
export function useNow(now: () => number): number {
  const [nowMs, setNowMs] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [now])
  return nowMs
}
