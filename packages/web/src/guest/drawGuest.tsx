import { draw } from '../common/draw.ts'
import './guest.css'
import './print.css'
import { GuestPage } from './page.tsx'

export function drawGuest(page: HTMLElement, isExposed: boolean): void {
  draw(<GuestPage isExposed={isExposed} />, page)
}
