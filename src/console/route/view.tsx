import { Empty } from '../components/states.js'

export function RouteView() {
  return <Empty title="Nothing here yet">This view is not made yet.</Empty>
}
