// Changing the document. Text goes in as text, never as HTML, whatever bytes a name has.

export const byId = (id) => document.getElementById(id);

// element('li', {class: 'x', title: 'y'}, child, 'text', …)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Writes only what differs: a selection stays, and a screen reader is not told the same again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

// Makes the children of `parent` as many as `items`; `make(index)` makes one more, `fill(child, item)`
// fills each.
export function fillList(parent, items, make, fill) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make(parent.children.length));
  items.forEach((item, index) => fill(parent.children[index], item));
}

// `rows`: of each the texts of its cells; `classes`: of each column.
export function fillTable(body, rows, classes) {
  fillList(
    body,
    rows,
    () => element('tr', {}, ...classes.map((name) => element('td', name ? {class: name} : {}))),
    (row, texts) => texts.forEach((text, index) => setText(row.children[index], text)),
  );
}

// Shows the sentence, or nothing when it is empty.
export function setNote(node, sentence) {
  setText(node, sentence);
  node.hidden = sentence === '';
}
