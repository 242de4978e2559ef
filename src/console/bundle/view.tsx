import { Empty } from '../components/states.js'

export function BundleView() {
  return <Empty title="Nothing here yet">This view is not made yet.</Empty>
}
