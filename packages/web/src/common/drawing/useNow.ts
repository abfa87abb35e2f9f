import { useEffect, useState } from 'preact/hooks'

const EVERY_MS = 30_000

/** This clock's time, renewed often enough for "5 minutes ago". What servers date needs the server's clock. */
export function useNow(now: () => number): number {
  const [nowMs, setNowMs] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [now])
  return nowMs
}
