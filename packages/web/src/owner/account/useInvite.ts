import { useEffect, useState } from 'preact/hooks'
import { useRoute } from '../route.ts'

/**
 * The code of an invite that was opened as a link (`#/register?invite={code}`). Takes it out of the address, so that it stays neither on the screen nor in
 * the history, and is in no bookmark.
 */
export function useInvite(): string | undefined {
  const given = useRoute().query.get('invite') ?? undefined
  const [taken, setTaken] = useState<string>()
  useEffect(() => {
    if (given === undefined) return
    setTaken(given)
    history.replaceState(history.state, '', '#/register')
  }, [given])
  return given ?? taken
}
