import { useEffect, useState } from 'preact/hooks'

/** The time of day, renewed often enough for words such as "5 minutes ago". */
export function useNow(everyMs = 30_000): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
