import { type FolderNode, leavesOf, type TreeEntry, type TreeNode } from './file-tree.ts';

/** A choice among a tree's leaves: files and empty folders, by the ids of their entries. */

/** Whether all, some or none of the leaves below a node are chosen. */
export type Chosen = 'all' | 'some' | 'none';

/** The ids of the leaves below a node, or its own. */
export function leafIds(node: TreeNode<TreeEntry>): string[] {
  return [...leavesOf(node)].flatMap(({ entry }) => entry?.id ?? []);
}

/** Counts every folder once, so that rows are asked for cheaply while a person scrolls through a large package. */
export function chosenIn<E extends TreeEntry>(root: FolderNode<E>, chosen: ReadonlySet<string>): (node: TreeNode<E>) => Chosen {
  const states = new Map<TreeNode<E>, Chosen>();
  const stateOf = (node: TreeNode<E>): Chosen => {
    if (node.kind === 'file' || node.children.length === 0) return node.entry && chosen.has(node.entry.id) ? 'all' : 'none';
    const children = new Set(node.children.map(stateOf));
    const state = children.size === 1 ? [...children][0]! : 'some';
    states.set(node, state);
    return state;
  };
  stateOf(root);
  return (node) => states.get(node) ?? stateOf(node);
}

/** The choice after a node was ticked, or unticked where all of it was chosen. */
export function toggled(node: TreeNode<TreeEntry>, chosen: ReadonlySet<string>): Set<string> {
  const ids = leafIds(node);
  const after = new Set(chosen);
  const add = ids.some((id) => !chosen.has(id));
  for (const id of ids) {
    if (add) after.add(id);
    else after.delete(id);
  }
  return after;
}
