/** How every part of the page speaks to the worker. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Command } from './messages.ts'

export type Tell = (command: Command) => void

export const TellContext = createContext<Tell | undefined>(undefined)

export function useTell(): Tell {
  const tell = useContext(TellContext)
  if (tell === undefined) throw new Error('useTell needs a TellContext above it')
  return tell
}
