import { draw } from '../common/drawing/draw.ts'
import './guest.css'
import './print.css'
import { GuestPage, type LocalGuest } from './page.tsx'

export function drawGuest(page: HTMLElement, isExposed: boolean, local?: LocalGuest): void {
  draw(<GuestPage isExposed={isExposed} local={local} />, page)
}
