// Sorts, filters and ticks the table of figures. Without it the page has all the same texts.
(() => {
  const table = document.getElementById('table'), body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const ticks = [...document.querySelectorAll('#groups input')], filter = document.getElementById('filter'), choice = document.getElementById('sort');

  // What is not known comes last in either direction.
  const sort = (column, down) => {
    const key = row => column ? row.cells[column].dataset.v : row.cells[0].textContent.trim();
    rows.slice().sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      const order = isNaN(x) || isNaN(y) ? String(x).localeCompare(y) : x - y;
      return down ? -order : order;
    }).forEach(row => body.append(row));
    heads.forEach((head, i) => i === column ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
    choice.value = column;
  };
  heads.forEach((head, column) => {
    rows.forEach(row => { row.cells[column].dataset.h = head.textContent; });
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sort(column, head.getAttribute('aria-sort') === 'ascending'));
    head.append(button);
  });
  [...choice.options].forEach((option, i) => { option.value = i; });
  choice.selectedIndex = -1; // they stand as in the chart
  choice.addEventListener('change', () => sort(Number(choice.value), false));

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean), seen = new Set();
    rows.forEach(row => {
      const text = [...row.cells].filter((cell, i) => !i || isNaN(cell.dataset.v)).map(cell => cell.textContent.toLowerCase()).join(' ');
      row.hidden = !words.every(word => text.includes(word));
      if (!row.hidden) seen.add(row.dataset.s);
    });
    document.querySelectorAll('.latencies tr[data-s]').forEach(row => { row.hidden = !seen.has(row.dataset.s); });
    document.getElementById('shown').textContent = seen.size + ' of ' + rows.length + ' styles';
  };
  const columns = () => {
    const on = new Set(ticks.filter(tick => tick.checked).map(tick => tick.value));
    table.classList.toggle('short', !on.has('from'));
    heads.forEach((head, i) => {
      if (i) [head, choice.options[i], ...rows.map(row => row.cells[i])].forEach(part => { part.hidden = !on.has(head.dataset.g); });
    });
  };
  ticks.forEach(tick => tick.addEventListener('change', columns));
  filter.addEventListener('input', show);
  table.classList.add('cards');
  if (rows.length) { document.querySelector('.controls').hidden = false; show(); columns(); }
})();
